import type { RouteTable } from '#core/http';
import type { ImageServer } from '../server/image-server.ts';
import { deleteFile, listFiles } from './folder-files.ts';
import { changeHistory, listHistory, showHistoryEntry } from './history.ts';
import { cancelJob, listJobs, showJob } from './jobs.ts';
import { listLogEntries, showLogText, subscribeToLog } from './logs.ts';
import { listModelDetails, listModelFolderLocations, showModelPreview } from './model-details.ts';
import {
  addModelPiece,
  beginModelFile,
  cancelModelFile,
  findModelKind,
  finishModelFile,
} from './model-files.ts';
import {
  listEmbeddings,
  listModelFolders,
  listModels,
  showFolderPaths,
  showModelMetadata,
} from './models.ts';
import { describeAllNodes, describeOneNode } from './object-info.ts';
import { submitPrompt } from './prompt.ts';
import { pruneFolder } from './prune.ts';
import { changeQueue, freeMemory, interruptPrompt, showQueue, showQueueLength } from './queue.ts';
import { mergeSettings, saveSetting, showSetting, showSettings } from './settings.ts';
import {
  emptyList,
  emptyObject,
  explainSocket,
  showFeatures,
  showSystemStats,
  unknownSubgraph,
} from './system.ts';
import { uploadImage, uploadMask } from './upload.ts';
import {
  deleteUserFile,
  listUserFiles,
  listUserTree,
  sendUserFile,
  writeOrMoveUserFile,
} from './user-files.ts';
import { createUser, showUsers } from './users.ts';
import { viewFile } from './view.ts';

/** All paths of ComfyUI's API that tabd answers; `api.ts` adds the same paths below `/api`. */
export const ROUTES: RouteTable<ImageServer> = [
  ['GET', '/prompt', showQueueLength],
  ['POST', '/prompt', submitPrompt],
  ['GET', '/queue', showQueue],
  ['POST', '/queue', changeQueue],
  ['POST', '/interrupt', interruptPrompt],
  ['POST', '/free', freeMemory],
  ['GET', '/history', listHistory],
  ['GET', '/history/:id', showHistoryEntry],
  ['POST', '/history', changeHistory],
  ['GET', '/jobs', listJobs],
  ['GET', '/jobs/:id', showJob],
  ['POST', '/jobs/:id/cancel', cancelJob],

  ['GET', '/object_info', describeAllNodes],
  ['GET', '/object_info/:name', describeOneNode],

  ['GET', '/view', viewFile],
  ['POST', '/upload/image', uploadImage],
  ['POST', '/upload/mask', uploadMask],

  ['GET', '/embeddings', listEmbeddings],
  ['GET', '/models', listModelFolders],
  ['GET', '/models/:folder', listModels],
  ['GET', '/view_metadata/:folder', showModelMetadata],
  ['GET', '/experiment/models', listModelFolderLocations],
  ['GET', '/experiment/models/:folder', listModelDetails],
  ['GET', '/experiment/models/preview/:folder/:index/*name', showModelPreview],

  ['GET', '/users', showUsers],
  ['POST', '/users', createUser],
  ['GET', '/settings', showSettings],
  ['GET', '/settings/:id', showSetting],
  ['POST', '/settings', mergeSettings],
  ['POST', '/settings/:id', saveSetting],
  ['GET', '/userdata', listUserFiles],
  ['GET', '/v2/userdata', listUserTree],
  ['GET', '/userdata/*file', sendUserFile],
  ['POST', '/userdata/*file', writeOrMoveUserFile],
  ['DELETE', '/userdata/*file', deleteUserFile],

  ['GET', '/internal/logs', showLogText],
  ['GET', '/internal/logs/raw', listLogEntries],
  ['PATCH', '/internal/logs/subscribe', subscribeToLog],
  ['GET', '/internal/folder_paths', showFolderPaths],
  ['GET', '/internal/files/:folder', listFiles],
  ['DELETE', '/internal/files/:folder/*path', deleteFile],
  ['POST', '/internal/files/:folder/prune', pruneFolder],
  ['POST', '/internal/model_kind', findModelKind],
  ['POST', '/internal/model_files', beginModelFile],
  ['POST', '/internal/model_files/:id/piece', addModelPiece],
  ['POST', '/internal/model_files/:id/finish', finishModelFile],
  ['DELETE', '/internal/model_files/:id', cancelModelFile],

  ['GET', '/system_stats', showSystemStats],
  ['GET', '/features', showFeatures],
  // Custom nodes in Python would bring scripts, templates, translations and subgraphs. tabd has none of them.
  ['GET', '/extensions', emptyList],
  ['GET', '/workflow_templates', emptyObject],
  ['GET', '/i18n', emptyObject],
  ['GET', '/global_subgraphs', emptyObject],
  ['GET', '/global_subgraphs/:id', unknownSubgraph],
  ['GET', '/ws', explainSocket],
];
