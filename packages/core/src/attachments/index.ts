export { detectFileType } from './detect-file-type.js';
export { findGuid } from './find-uploads.js';
export { listUploads, type PlacedUpload, type UploadPlace } from './list-uploads.js';
export { type Attached, type AttachedFile, renderAttachments } from './render-attachments.js';
export {
  type FileType,
  type ListedUpload,
  MAX_UPLOAD_BYTES,
  MAX_UPLOADS,
  MEDIA_TYPES,
  type UploadContent,
  UploadList,
  type UploadProblem,
} from './upload.js';
export { findUploadHosts, isUploadHost, type UploadHosts } from './upload-hosts.js';
