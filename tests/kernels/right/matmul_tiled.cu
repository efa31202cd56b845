// launch: matmul[(3, 2), (16, 16)](randn(20, 33), randn(33, 40), zeros(20, 40),
// 20, 40, 33) equals: C ~ A @ B

__global__ void matmul(
    const float* A,
    const float* B,
    float* C,
    int M,
    int N,
    int K) {
  const int T = 16;
  __shared__ float As[T][T], Bs[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < K; k += T) {
    int a = k + threadIdx.x, b = k + threadIdx.y;
    As[threadIdx.y][threadIdx.x] = row < M && a < K ? A[row * K + a] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = b < K && col < N ? B[b * N + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) {
      acc += As[threadIdx.y][i] * Bs[i][threadIdx.x];
    }
    __syncthreads();
  }
  if (row < M && col < N) {
    C[row * N + col] = acc;
  }
}
