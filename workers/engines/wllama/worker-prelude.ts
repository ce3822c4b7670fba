/**
 * Runs in wllama's own worker before llama.cpp does. llama.cpp ignores a device that is destroyed, and its answers are
 * then made of zeros; so the device is watched here, where it is made. The lock tells that this worker is gone.
 * (The text must not contain "var Module", which wllama replaces in the code that follows.)
 */
export function prelude(lock: string): string {
  return `;(() => {
  if (typeof RUN_OPTIONS === 'undefined') return;
  navigator.locks?.request(${JSON.stringify(lock)}, () => new Promise(() => {}));
  const adapter = globalThis.GPUAdapter?.prototype;
  if (!adapter) return;
  const requestDevice = adapter.requestDevice;
  adapter.requestDevice = async function (descriptor) {
    const device = await requestDevice.call(this, descriptor);
    device.lost.then((info) => {
      postMessage({ verb: 'console.error', args: ['${LOST}' + info.reason + ' ' + info.message] });
    });
    return device;
  };
})();
`;
}

export const LOST = '@tabd-device-lost ';
