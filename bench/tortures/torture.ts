import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Surroundings } from '../../test/support/realMonitor.ts'
import type { Scene, SceneOptions } from './scene.ts'

/** One bad day of the process. */
export interface Torture {
  readonly name: string
  readonly options?: SceneOptions
  /** One that takes long runs only when this is among the words. */
  readonly word?: string
  /** What the whole bench has to be in, so that it starts itself again for it. */
  readonly within?: Surroundings
  /** What this machine lacks for it; null when it lacks nothing. */
  readonly missing?: () => string | null
  /** Gives what was measured, in a few words. Throws when something was lost, silent, invented or sent again unmarked. */
  readonly run: (scene: Scene) => Promise<string>
}

/** Throws with what went wrong unless it holds. */
export function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

/** What is missing of programs and of root's rights; null when nothing is. */
export function lacks(...programs: readonly string[]): string | null {
  return process.getuid?.() === 0 ? lacksPrograms(...programs) : 'it needs root'
}

/** What is missing of programs; null when nothing is. */
export function lacksPrograms(...programs: readonly string[]): string | null {
  const paths = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  const absent = programs.filter((program) => !paths.some((path) => existsSync(join(path, program))))
  return absent.length === 0 ? null : `${absent.join(', ')} not installed`
}
