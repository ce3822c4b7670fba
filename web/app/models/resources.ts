import { type DeviceReport, readDeviceReport } from './device-report.ts';

export interface StorageReport {
  /** Bytes in use. Absent when the browser does not report them. */
  usage?: number;
  quota?: number;
  /** Whether the data stay when the disk is full. Absent when the browser does not report it. */
  persisted?: boolean;
}

/** The device and the storage that models can use. */
export interface DeviceResources {
  device: DeviceReport;
  storage: StorageReport;
  /** Bytes that this site may still store. */
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
