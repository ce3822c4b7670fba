/** The workflow engine, as registrations, calls and the control API see it. */
import type { ExecutionFiles } from '../binary-data/execution-files.ts';
import type { Signatures } from '../credentials/signatures.ts';
import type { WebhookSettings } from '../settings/webhook-settings.ts';
import type { XmlThread } from '../xml/xml-thread.ts';
import type { EngineEvents } from './events.ts';
import type { Executions } from './executions/executions.ts';
import type { WorkflowRunServices } from './run/run-services.ts';
import type { WorkflowStore } from './workflow-store.ts';

export interface Engine {
  readonly settings: WebhookSettings;
  readonly workflows: WorkflowStore;
  readonly executions: Executions;
  readonly events: EngineEvents;
  readonly services: WorkflowRunServices;
  /** The binary data of executions. */
  readonly files: ExecutionFiles;
  /** Converts the XML of calls. */
  readonly xml: XmlThread;
  /** Signs resume addresses. */
  readonly signatures: Signatures;
  /** `{publicAddress}/webhook-waiting/{id}?signature=…`, or `…/form-waiting/…` */
  resumeUrl(executionId: string, kind?: 'webhook' | 'form'): string;
  /** Marks executions of the former server as crashed and resumes waiting ones, if the start did not do it. */
  recover(): Promise<void>;
  close(): Promise<void>;
}
