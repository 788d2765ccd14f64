import { SharedServers } from '@headrace/testing/shared-servers';
import type { TestProject } from 'vitest/node';

/** Lets all test files of a test run share real servers, and removes the servers at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await SharedServers.listen();
  project.provide('sharedServers', servers.port);
  return () => servers.close();
}
