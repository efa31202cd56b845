// launch: layer_norm[7, 64](randn(7, 96), zeros(7, 96), 96)
// equals: y ~ torch.nn.functional.layer_norm(x, (96,))

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void layer_norm(const float* x, float* y, int cols) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  __shared__ float sums[2][32];
  const float* row = x + blockIdx.x * cols;
  float sum = 0.0f, squares = 0.0f;
  for (int c = block.thread_rank(); c < cols; c += block.size()) {
    sum += row[c];
    squares += row[c] * row[c];
  }
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  squares = cg::reduce(warp, squares, cg::plus<float>{});
  if (warp.thread_rank() == 0) {
    sums[0][warp.meta_group_rank()] = sum;
    sums[1][warp.meta_group_rank()] = squares;
  }
  block.sync();
  int lane = warp.thread_rank();
  sum = lane < warp.meta_group_size() ? sums[0][lane] : 0.0f;
  squares = lane < warp.meta_group_size() ? sums[1][lane] : 0.0f;
  float mean = cg::reduce(warp, sum, cg::plus<float>()) / cols;
  float var = cg::reduce(warp, squares, cg::plus<float>()) / cols - mean * mean;
  for (int c = block.thread_rank(); c < cols; c += block.size()) {
    y[blockIdx.x * cols + c] = (row[c] - mean) * rsqrtf(var + 1e-5f);
  }
}
