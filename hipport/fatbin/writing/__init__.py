"""What is written to disk: extracted code objects and bundles."""
