// launch: integers[1, 64](randint(-50, 50, (64,), dtype=torch.int32), zeros(8,
// dtype=torch.int32)) equals: y == torch.stack([x.view(2, 32).sum(1), x.view(2,
// 32).amin(1), x.view(2, 32).amax(1), torch.tensor([32, 32])],
// 1).view(-1).int()

__global__ void integers(const int* x, int* y) {
  int v = x[threadIdx.x];
  int sum = __reduce_add_sync(~0u, v);
  int low = __reduce_min_sync(~0u, v);
  int high = __reduce_max_sync(~0u, v);
  int same = __popc(__match_any_sync(~0u, threadIdx.x / 32));
  if (threadIdx.x % 32 == 0) {
    int* out = y + threadIdx.x / 32 * 4;
    out[0] = sum, out[1] = low, out[2] = high, out[3] = same;
  }
}
