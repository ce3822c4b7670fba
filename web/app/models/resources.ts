import { type DeviceReport, readDeviceReport } from './device-report.ts';

export interface StorageReport {
  /** Bytes; absent where the browser does not tell. */
  usage?: number;
  quota?: number;
  /** The browser keeps it even when the disk runs full; undefined where it cannot be asked. */
  persisted?: boolean;
}

/** What surrounds the models: device and storage. */
export interface DeviceResources {
  device: DeviceReport;
  storage: StorageReport;
  /** Bytes that may still be stored. */
  freeBytes?: number;
}

type StorageFacts = Partial<Pick<StorageManager, 'estimate' | 'persisted'>> | undefined;

export async function readStorage(manager: StorageFacts = navigator.storage): Promise<StorageReport> {
  const { usage, quota } = (await manager?.estimate?.().catch(() => undefined)) ?? {};
  const persisted = await manager?.persisted?.().catch(() => undefined);
  return {
    ...(usage !== undefined && { usage }),
    ...(quota !== undefined && { quota }),
    ...(persisted !== undefined && { persisted }),
  };
}

export async function readResources(): Promise<DeviceResources> {
  const [device, storage] = await Promise.all([readDeviceReport(), readStorage()]);
  const { usage, quota } = storage;
  const hasEstimate = usage !== undefined && quota !== undefined;
  return { device, storage, ...(hasEstimate && { freeBytes: Math.max(0, quota - usage) }) };
}
