import type { Parameter } from '#core/workflow-format';
import {
  choice,
  collection,
  fixedCollectionList,
  flag,
  group,
  number,
  options,
  text,
} from '../../shared/parameters.ts';

const of = (resource: string, ...operation: string[]) => ({ resource: [resource], operation });

const operationsOf = (resource: string, byDefault: string, labels: Record<string, string>): Parameter =>
  choice('operation', 'Operation', byDefault, {
    literal: true,
    options: labels,
    show: { resource: [resource] },
  });

const many = (resource: string, ...operation: string[]): Parameter[] => [
  flag('returnAll', 'Return All', { show: of(resource, ...operation) }),
  number('limit', 'Limit', 100, { minimum: 1, show: { ...of(resource, ...operation), returnAll: [false] } }),
];

export const s3Parameters: Parameter[] = [
  choice('resource', 'Resource', 'file', {
    literal: true,
    options: { bucket: 'Bucket', file: 'File', folder: 'Folder' },
  }),
  operationsOf('bucket', 'create', {
    create: 'Create',
    delete: 'Delete',
    getAll: 'Get Many',
    search: 'Search',
  }),
  operationsOf('file', 'download', {
    copy: 'Copy',
    delete: 'Delete',
    download: 'Download',
    getAll: 'Get Many',
    upload: 'Upload',
  }),
  operationsOf('folder', 'create', { create: 'Create', delete: 'Delete', getAll: 'Get Many' }),
  text('name', 'Name', { required: true, show: of('bucket', 'create', 'delete') }),
  text('bucketName', 'Bucket Name', { required: true, show: of('bucket', 'search') }),
  text('bucketName', 'Bucket Name', {
    required: true,
    show: { resource: ['file', 'folder'], operation: ['create', 'delete', 'download', 'getAll', 'upload'] },
  }),
  text('sourcePath', 'Source Path', { required: true, show: of('file', 'copy') }),
  text('destinationPath', 'Destination Path', { required: true, show: of('file', 'copy') }),
  text('fileName', 'File Name', { show: of('file', 'upload') }),
  text('fileKey', 'File Key', { required: true, show: of('file', 'download', 'delete') }),
  flag('binaryData', 'Binary File', { default: true, show: of('file', 'upload') }),
  text('fileContent', 'File Content', { show: { ...of('file', 'upload'), binaryData: [false] } }),
  text('binaryPropertyName', 'Binary Field', { default: 'data', show: of('file', 'upload', 'download') }),
  text('folderName', 'Folder Name', { required: true, show: of('folder', 'create') }),
  text('folderKey', 'Folder Key', { required: true, show: of('folder', 'delete') }),
  ...many('bucket', 'getAll', 'search'),
  ...many('file', 'getAll'),
  ...many('folder', 'getAll'),
  collection('additionalFields', 'Additional Fields', {
    fields: [
      text('acl', 'ACL'),
      text('parentFolderKey', 'Parent Folder Key'),
      text('prefix', 'Prefix'),
      text('region', 'Region'),
      text('storageClass', 'Storage Class'),
    ],
  }),
  fixedCollectionList('tagsUi', 'Tags', {
    show: of('file', 'upload'),
    groups: [group('tagsValues', 'Tag', [text('key', 'Key'), text('value', 'Value')])],
  }),
  options({ fields: [text('folderKey', 'Folder Key')] }),
];
