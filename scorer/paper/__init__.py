"""The tables and figures of an overview paper, made from bundles, evidence and exports of campaigns."""
