/**
 * Code that runs in wllama's own worker before llama.cpp. It watches the GPU device, because llama.cpp ignores its loss and
 * would then compute zeros. It also holds a lock that shows whether the worker lives. The code must not contain "var Module",
 * which wllama replaces in the text behind it.
 */
export function workerPrelude(lock: string): string {
  return `;(() => {
  if (typeof RUN_OPTIONS === 'undefined') return;
  navigator.locks?.request(${JSON.stringify(lock)}, () => new Promise(() => {}));
  const adapter = globalThis.GPUAdapter?.prototype;
  if (!adapter) return;
  const requestDevice = adapter.requestDevice;
  adapter.requestDevice = async function (descriptor) {
    const device = await requestDevice.call(this, descriptor);
    device.lost.then((info) => {
      postMessage({ verb: 'console.error', args: ['${DEVICE_LOST_MARK}' + info.reason + ' ' + info.message] });
    });
    return device;
  };
})();
`;
}

/** The beginning of the error line that reports the loss of the device. */
export const DEVICE_LOST_MARK = '@tabd-device-lost ';
