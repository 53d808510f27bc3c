"""Writing to disk: extracted code objects, bundles, and slimmed files."""
