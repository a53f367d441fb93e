"""The page at which a sign-up ends."""

from flask import Blueprint, render_template

blueprint = Blueprint("sign_ups", __name__)


@blueprint.get("/sign-up/sent")
def sent() -> str:
    """Say where the link is that confirms the address; the same whether the account is new or not."""
    return render_template("accounts/check_mail.html")
