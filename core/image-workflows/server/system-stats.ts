import type { Host } from '#core/host';

/** The version of ComfyUI whose API tabd implements. Clients compare it. */
export const COMFYUI_API_LEVEL = '0.3.64';

/**
 * The body of `GET /system_stats`. Sizes are bytes. Figures that the platform does not report, such as the memory of a
 * GPU in a browser, are left out.
 */
export async function systemStats(host: Host): Promise<Record<string, unknown>> {
  const { machine } = host;
  const ramFree = machine.memoryFree?.();
  const gpus = await machine.gpus();
  const devices =
    gpus.length > 0
      ? gpus.map((gpu, index) => ({
          name: gpu.name,
          type: gpu.type,
          index,
          ...memory(gpu.memoryTotal, gpu.memoryFree),
        }))
      : [{ name: 'cpu', type: 'cpu', index: null, ...memory(machine.memoryTotal, ramFree) }];
  return {
    system: {
      os: machine.os === 'win32' ? 'nt' : 'posix',
      ...(machine.memoryTotal === undefined ? {} : { ram_total: machine.memoryTotal }),
      ...(ramFree === undefined ? {} : { ram_free: ramFree }),
      comfyui_version: COMFYUI_API_LEVEL,
      python_version: machine.runtime,
      embedded_python: false,
      argv: machine.argv ?? [],
    },
    devices,
  };
}

/** tabd has no memory pool of PyTorch, so its figures equal those of the device. */
function memory(total: number | undefined, free: number | undefined): Record<string, number> {
  return {
    ...(total === undefined ? {} : { vram_total: total, torch_vram_total: total }),
    ...(free === undefined ? {} : { vram_free: free, torch_vram_free: free }),
  };
}
