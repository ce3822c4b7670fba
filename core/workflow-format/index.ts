/** The workflow JSON format: its types, its reader, and the settings of nodes. The engine and the app share it. */
export type {
  Condition,
  ConditionOperator,
  ConditionTable,
  ConditionValueType,
} from './condition-table.ts';
export type { CredentialField, CredentialType, OAuth2Settings, RequestAdditions } from './credential-type.ts';
export type {
  ErrorRecord,
  ExecutionData,
  ExecutionMode,
  ExecutionStatus,
  NodeTask,
  RunData,
  RunState,
  TaskData,
  TaskItems,
  WaitUntil,
} from './execution-data.ts';
export type { ExecutionDetail, ExecutionSummary } from './execution-record.ts';
export type {
  Binary,
  InputSource,
  Item,
  ItemPairing as Pairing,
  JsonObject,
  NodeOutput,
  PairedItem,
} from './item.ts';
export { deletePath, getPath, isForbiddenKey, setPath, splitPath } from './json-path.ts';
export type {
  CredentialUse,
  NodeDescription,
  NodeSettings,
  NodeVersionRange as VersionRange,
  Parameter,
  ParameterType,
  ShowConditions,
} from './node-description.ts';
export {
  filledParameters,
  includesVersion,
  meetsConditions,
  nodeSettings,
  shownParameters,
} from './node-settings.ts';
export {
  type ItemOrigin,
  type ItemPosition,
  originOf,
  pairedItems,
} from './paired-items.ts';
export { readWorkflow } from './read-workflow.ts';
export { SUB_NODE_KINDS, type SubNodeInput, type SubNodeKind } from './sub-nodes.ts';
export { workflowTimezone } from './timezone.ts';
export type {
  Connection,
  Connections,
  OnError,
  StaticData,
  Workflow,
  WorkflowNode,
  WorkflowSettings,
} from './workflow.ts';
export { WorkflowGraph } from './workflow-graph.ts';
