/** What `core/server` loads when the image API is first asked: entered by `import()` alone. */
export { imageWorkflowsApi } from './api.ts';
export { withPulledModels } from './models/model-files/pulled-models.ts';
export { importOwnNodes } from './nodes/kernel/own-nodes.ts';
