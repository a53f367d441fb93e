"""The forms of what is sent and answered, by noun; `openapi.json` is written from them."""
