"""One form for what may be laid out in many: no finding of a build file depends on its layout."""
