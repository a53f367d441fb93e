"""A site of Assay as its participants' programs reach it; httpx2 is loaded when something is asked of it."""
