import type { AnyNode } from '../nodes/kernel/node-type.ts';

/** All nodes that graphs may use, by `class_type`. */
export type NodeTypes = ReadonlyMap<string, AnyNode>;
