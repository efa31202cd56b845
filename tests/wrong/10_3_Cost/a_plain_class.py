# expect: it does not inherit from TorchDispatchMode
class Cost:
    def __init__(self):
        self.bytes = 0
        self.flops = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None
