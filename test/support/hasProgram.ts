import { spawnSync } from 'node:child_process'

/**
 * Whether a program of the system is there. Tests that need one are left out without it; on CI it must be there, so
 * that nothing is left out in silence.
 */
export function hasProgram(name: string): boolean {
  if (spawnSync(name, ['--version']).error === undefined) return true
  if (process.env['CI']) throw new Error(`${name} is missing: .ci/run installs it`)
  return false
}
