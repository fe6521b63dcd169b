// npm run bench:torture [words]: each fault against the real process, those whose names hold all words when some are
// given (those that take long need theirs). Loopback only; some need root, or a program of Debian's, and say so. Ends with
// 1 when one was not survived.
// A new torture is a row of a list in bench/tortures.
import { diskTortures } from './tortures/disk.ts'
import { killTortures } from './tortures/kills.ts'
import { syncTortures } from './tortures/sync.ts'
import { networkTortures } from './tortures/network.ts'
import { openScene } from './tortures/scene.ts'
import { demand, type Torture } from './tortures/torture.ts'

const tortures: readonly Torture[] = [...diskTortures, ...syncTortures, ...killTortures, ...networkTortures]

const words = process.argv.slice(2)
const chosen = tortures.filter(
  ({ name, word: own }) =>
    words.every((word) => name.includes(word)) && (own === undefined || words.includes(own)),
)
const counts = { survived: 0, failed: 0, leftOut: 0 }
for (const torture of chosen) {
  const { outcome, said } = await endure(torture)
  counts[outcome] += 1
  console.log(`${torture.name.padEnd(68)} ${said}`)
}
const { survived, failed, leftOut } = counts
console.log(`${survived} of ${survived + failed} survived, ${leftOut} left out`)
if (failed > 0 || chosen.length === 0) process.exitCode = 1

async function endure(torture: Torture): Promise<{ outcome: keyof typeof counts; said: string }> {
  const missing = torture.missing?.() ?? null
  if (missing !== null) return { outcome: 'leftOut', said: `left out: ${missing}` }
  const beganAt = performance.now()
  const scene = await openScene(torture.options)
  try {
    const said = await torture.run(scene)
    const untrue = scene.listFalse()
    demand(untrue.length === 0, untrue.join('; '))
    return {
      outcome: 'survived',
      said: `${said}, in ${((performance.now() - beganAt) / 1_000).toFixed(0)} s`,
    }
  } catch (error) {
    return { outcome: 'failed', said: `FAILED: ${error instanceof Error ? error.message : String(error)}` }
  } finally {
    await scene.close()
  }
}
