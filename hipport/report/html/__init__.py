"""The audit's report as one HTML page: data in Python, markup in templates."""
