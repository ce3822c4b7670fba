/** All nodes that tabd has. A new file of nodes needs one line here. */
import type { AnyNode } from './node-type.ts';

export const nodeTypes: readonly AnyNode[] = [];
