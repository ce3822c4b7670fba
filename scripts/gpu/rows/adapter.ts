/** The adapter that WebGPU in Node finds. */
import { tell } from './kit.ts';

interface Dawn {
  create(options: string[]): {
    requestAdapter(options: object): Promise<{
      info: Record<'vendor' | 'architecture' | 'description', string>;
      features: Iterable<string>;
      limits: Record<'maxBufferSize' | 'maxStorageBufferBindingSize', number>;
    } | null>;
  };
}

export async function adapter(): Promise<void> {
  const { create } = (await import('webgpu' as string)) as Dawn;
  const found = await create([]).requestAdapter({ powerPreference: 'high-performance' });
  if (!found) throw new Error('WebGPU in Node finds no adapter');
  const { vendor, architecture, description } = found.info;
  const { maxBufferSize, maxStorageBufferBindingSize } = found.limits;
  const features = [...found.features];
  tell('adapter', { vendor, architecture, description, maxBufferSize, maxStorageBufferBindingSize, features });
}
