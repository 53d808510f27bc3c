def registered_names(binary, limits):
    return set()
