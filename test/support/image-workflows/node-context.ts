/** What a node that reads and writes files is given, over files in memory, on 2 January 2026. */

import type { Host } from '#core/host';
import { StoredFiles } from '#core/image-workflows/files/stored-files.ts';
import type { NodeContext } from '#core/image-workflows/nodes/kernel/node-context.ts';
import { MemoryFiles } from '#workers/host/files/memory-files.ts';

/** `host`: what else of it is needed; `more`: of the context. What neither gives is not there. */
export function fileContext(
  host: Partial<Host> = {},
  more: Partial<NodeContext> = {},
): { files: MemoryFiles; context: NodeContext } {
  const files = new MemoryFiles();
  const whole = { files, clock: { now: () => Date.UTC(2026, 0, 2) }, ...host } as unknown as Host;
  const context = {
    nodeId: '7',
    promptId: 'p',
    signal: new AbortController().signal,
    host: whole,
    files: new StoredFiles(whole),
    promptJson: '{"1": {"class_type": "X"}}',
    extraTexts: { workflow: '{"nodes": []}' },
    ...more,
  } as unknown as NodeContext;
  return { files, context };
}
