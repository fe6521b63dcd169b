import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endProgram } from '../../test/support/realMonitor.ts'
import type { Scene } from './scene.ts'
import { demand, lacksPrograms, type Torture } from './torture.ts'

const source = join(import.meta.dirname, '../support/failingSync.c')

/** A disk that does not say that what was written is safe: so many of all fsync and fdatasync fail with EIO. */
const failingSync = (
  percent: number,
  endure: (scene: Scene, heal: () => void) => Promise<string>,
): Torture => ({
  name: `F88: ${percent} % of all syncs fail`,
  missing: () => (process.platform === 'linux' ? lacksPrograms('cc') : 'it needs Linux'),
  async run(scene) {
    const folder = mkdtempSync(join(tmpdir(), 'spanwatch-sync-'))
    try {
      const [library, trigger] = [join(folder, 'failingSync.so'), join(folder, 'from-now-on')]
      execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source])
      const env = { LD_PRELOAD: library, FAILING_SYNC: trigger, FAILING_SYNC_PERCENT: String(percent) }
      const daemon = await scene.start({ env })
      await scene.allTold([scene.addFailure()])
      writeFileSync(trigger, '')
      const said = await endure(scene, () => rmSync(trigger))
      demand(daemon.isRunning(), 'the process ended')
      await endProgram(daemon)
      await scene.start()
      await scene.allTold([scene.addFailure()])
      return said
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
})

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

/** Faults of syncing. */
export const syncTortures: readonly Torture[] = [20, 100].map((percent) =>
  failingSync(percent, async (scene, heal) => {
    const telling = scene.toldOf('the state folder cannot be relied on', 15_000)
    const [toldMs, failures] = await Promise.all([telling, scene.addFailures(25, 500)])
    await scene.allTold(failures)
    heal()
    return `told after ${seconds(toldMs)}, 25 of 25 failures told meanwhile`
  }),
)
