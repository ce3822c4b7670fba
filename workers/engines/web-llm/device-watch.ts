interface LosableDevice {
  lost: Promise<{ reason: string; message: string }>;
}

/** Reports the loss of a GPU device that this worker requests from now on. web-llm itself only logs the loss. */
export function watchDevices(onLost: (reason: string) => void): void {
  const adapter = (
    globalThis as {
      GPUAdapter?: { prototype: { requestDevice(...args: unknown[]): Promise<LosableDevice> } };
    }
  ).GPUAdapter?.prototype;
  if (!adapter) return;
  const { requestDevice } = adapter;
  adapter.requestDevice = async function (...args) {
    const device = await requestDevice.apply(this, args);
    void device.lost.then(({ reason, message }) => onLost(`${reason} ${message}`.trim()));
    return device;
  };
}
