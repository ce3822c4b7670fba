/** A context for nodes that read and write files. The files are in memory, and the date is 2 January 2026. */

import type { Host } from '#core/host';
import { StoredFiles } from '#core/image-workflows/files/stored-files.ts';
import type { NodeContext } from '#core/image-workflows/nodes/kernel/node-context.ts';
import { MemoryFiles } from '#workers/host/files/memory-files.ts';

/** The context and its files. `host` and `more` add members to the host and to the context. Others are undefined. */
export function fileContext(
  host: Partial<Host> = {},
  more: Partial<NodeContext> = {},
): { files: MemoryFiles; context: NodeContext } {
  const files = new MemoryFiles();
  const fullHost = { files, clock: { now: () => Date.UTC(2026, 0, 2) }, ...host } as unknown as Host;
  const context = {
    nodeId: '7',
    promptId: 'p',
    signal: new AbortController().signal,
    host: fullHost,
    files: new StoredFiles(fullHost),
    promptJson: '{"1": {"class_type": "X"}}',
    extraTexts: { workflow: '{"nodes": []}' },
    ...more,
  } as unknown as NodeContext;
  return { files, context };
}
