# expect: nothing is registered for CPU
def register_squared_relu(lib):
    """Defines squared_relu in the namespace of `lib`, with all that it needs."""
    lib.define("squared_relu(Tensor x, float scale) -> Tensor")

    def forward(x, scale):
        return scale * x.relu().square()

    lib.impl("squared_relu", forward, "CompositeImplicitAutograd")
