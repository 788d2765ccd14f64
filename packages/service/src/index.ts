export { hashPassword } from './auth/password-hash.ts';
export { newToken } from './auth/token.ts';
export { SERVICE_ERROR_CODES, type ServiceErrorCode } from './errors/service-error-codes.ts';
export { readServiceFile } from './service-file/read-service-file.ts';
export { defaultSettings, type LogSettings, type ServiceSettings } from './settings/service-settings.ts';
export { type RunningService, type ServiceOptions, startService } from './start-service.ts';
