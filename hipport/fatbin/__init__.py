"""What is inside a ROCm binary: Binary -> Bundle -> BundleEntry -> CodeObject -> Kernel.

    from hipport.fatbin.reader import open_path

    for binary in open_path("libfoo.so"):          # headers only
        for bundle in binary.bundles:
            for entry in bundle.device_entries:
                print(entry.id, entry.size)
                for kernel in entry.code_object().kernels():
                    print(kernel.name, kernel.vgprs)

Nothing is imported here, so that each part loads only what it needs.
What listing needs imports neither `typing` nor `re`, which take longer to load than a library of
500 MB to list: `TYPE_CHECKING = False` there is typing's constant to a type checker.
"""
