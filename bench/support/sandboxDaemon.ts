import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../test/support/startMonitor.ts'
import { endProgram, type Program, startDaemon, startProgram } from '../../test/support/realMonitor.ts'

/** A daemon in a process of its own, and a sandbox in another that it watches. */
export interface Watched {
  readonly folder: string
  /** Where the sandbox answers. */
  readonly url: string
  readonly daemon: Program & { readonly page: string }
  readonly end: () => Promise<void>
}

/**
 * Starts a sandbox with a scenario, and the program with what the sandbox prints as its configuration: all second sources,
 * and the polls as they are shipped.
 * @param more YAML below the printed configuration
 * @param explorer YAML within its first section
 */
export async function watchSandbox(scenario: string, more = '', explorer = ''): Promise<Watched> {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))
  const scenarioPath = join(folder, 'scenario.yaml')
  writeFileSync(scenarioPath, scenario)
  const sandbox = startProgram(['sandbox', '--port', '0', '--scenario', scenarioPath])
  await until(() => sandbox.stdout().includes('tokens:') || !sandbox.isRunning())
  // The end of what it prints is not marked.
  await sleep(500)
  const configPath = join(folder, 'spanwatch.yaml')
  const own = 'state: ./state\nhttp: { listen: "127.0.0.1:0" }\n'
  const printed = sandbox.stdout().replace(/^explorer:$/m, `explorer:\n  ${explorer}`)
  writeFileSync(configPath, `${printed}\n${own}${more}`)
  const daemon = await startDaemon({ folder, configPath, remove: () => undefined })
  return {
    folder,
    url: /^ +baseUrl: (\S+)$/m.exec(printed)?.[1] ?? '',
    daemon,
    async end() {
      await endProgram(daemon)
      await endProgram(sandbox)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Seconds of CPU time of a process since it began, user and system, in the kernel's ticks of 10 ms. */
export function readCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** What of a process is in memory: now, or at most so far, MB. */
export function readResident(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${which}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024
}
