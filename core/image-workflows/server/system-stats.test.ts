import { describe, expect, it } from 'vitest';
import { createTestHost, type TestHostOptions } from '#test/support/host/test-host.ts';
import { systemStats } from './system-stats.ts';

const stats = (machine: NonNullable<TestHostOptions['machine']> = {}) =>
  systemStats(createTestHost({ machine }));

describe('systemStats', () => {
  it('describes the machine, and its processor as the device without a GPU', async () => {
    expect(await stats({ argv: ['a', 'b'] })).toEqual({
      system: {
        os: 'posix',
        ram_total: 16e9,
        ram_free: 8e9,
        comfyui_version: '0.3.64',
        python_version: 'test host',
        embedded_python: false,
        argv: ['a', 'b'],
      },
      devices: [
        {
          name: 'cpu',
          type: 'cpu',
          index: null,
          vram_total: 16e9,
          torch_vram_total: 16e9,
          vram_free: 8e9,
          torch_vram_free: 8e9,
        },
      ],
    });
  });

  it('lists GPUs, and leaves out memory that is not reported', async () => {
    const gpus = async () => [
      { name: 'big', type: 'cuda', memoryTotal: 24e9, memoryFree: 20e9 },
      { name: 'browser', type: 'webgpu' },
    ];
    expect((await stats({ gpus })).devices).toEqual([
      {
        name: 'big',
        type: 'cuda',
        index: 0,
        vram_total: 24e9,
        torch_vram_total: 24e9,
        vram_free: 20e9,
        torch_vram_free: 20e9,
      },
      { name: 'browser', type: 'webgpu', index: 1 },
    ]);
  });

  it('uses Python’s name for Windows, and an empty command line', async () => {
    const { system } = (await stats({ os: 'win32' })) as { system: Record<string, unknown> };
    expect([system.os, system.argv]).toEqual(['nt', []]);
  });
});
