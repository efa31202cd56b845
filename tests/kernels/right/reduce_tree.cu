// launch: block_sum[4, 256](randn(1000), zeros(4), 1000)
// equals: y ~ torch.nn.functional.pad(x, (0, 24)).view(4, 256).sum(1)

__global__ void block_sum(const float* x, float* y, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      s[t] += s[t + half];
    }
    __syncthreads();
  }
  if (t == 0) {
    y[blockIdx.x] = s[0];
  }
}
