// launch: smooth[2, 64](randn(100), zeros(100), 100)
// equals: y ~ torch.nn.functional.conv1d(x[None, None], torch.tensor([[[0.25,
// 0.5, 0.25]]]), padding=1)[0, 0]

__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};

__global__ void smooth(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = -1; k <= 1; k++) {
    int j = i + k;
    if (j >= 0 && j < n)
      sum += weights[k + 1] * x[j];
  }
  y[i] = sum;
}
