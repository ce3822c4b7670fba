/** Where the rows find the parts of the kit. `run.sh` names its folder. */
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The unpacked kit. */
export const KIT = process.env.TABD_GPU_KIT ?? process.cwd();
/** The program of the package, as npm installed it. */
export const PROGRAM = join(KIT, 'node_modules/tabd-shim/dist/cli.js');
/** Ports as of the documentation. */
export const PORTS = { app: 4180, 'local-models': 11434, 'image-workflows': 8188, webhooks: 5678 };
/** Hides the GPU from WebGPU in Node, whose runtime then computes on the CPU. */
export const NO_VULKAN = { VK_DRIVER_FILES: '/none.json', VK_ICD_FILENAMES: '/none.json' };

/** A home with the image model of the page. */
export async function homeWithEmoji(home: string, model: string): Promise<string> {
  const folder = join(home, 'files/models/checkpoints', model);
  await mkdir(folder, { recursive: true });
  await cp(join(KIT, 'node_modules/tabd-shim/dist/app/weights', model), folder, { recursive: true });
  return home;
}

export const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** Prints a measured line. */
export function reportRow(row: string, facts: object): void {
  console.log(`${row}: ${JSON.stringify(facts)}`);
}

/** Posts JSON and reads JSON. Without a body: a GET request. */
export async function ask<T>(url: string, body?: object): Promise<T> {
  const response = await fetch(url, body && { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
