# expect: which is what relu reads
reading = {
    "operators": 4,
    "relu_writes": "$2",
    "readers_of_a": ["sub", "mul"],
    "bytes_of_sub": 48,
}
