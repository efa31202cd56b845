# expect: no_grad takes no key away
first_kernel = {
    "relu": "AutogradCPU",
    "relu, no_grad": "CPU",
    "relu, inference_mode, tensor made inside": "CPU",
    "add_, inference_mode, tensor made outside": "ADInplaceOrView",
    "relu, autocast": "AutogradCPU",
    "mm, autocast": "AutocastCPU",
    "relu of a meta tensor": "AutogradMeta",
    "relu of a sparse tensor": "AutogradCPU",
}
