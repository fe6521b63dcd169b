// npm run bench:attack [words]: each attack against the real process, those whose names hold all words when some are
// given, or a few that take seconds (`short`). Loopback only. Ends with 1 when one got through. A new attack is a row of a list in bench/attacks.
import { accessAttacks } from './attacks/access.ts'
import { answerAttacks } from './attacks/answers.ts'
import { choose } from './support/choose.ts'
import { type Attack, bounds, openTarget, undergo } from './attacks/attack.ts'

const attacks: readonly Attack[] = [...answerAttacks, ...accessAttacks]

/** One of each sort. */
const short = [
  'answers: gzip bomb',
  'answers: brotli bomb',
  'answers: arrays 450,000 deep',
  'access: 200 wrong tokens, then the right one',
  'access: every change with the token that may look, and without one',
  'access: a session that was signed out',
]

const chosen = choose(attacks, process.argv.slice(2), short)
const target = await openTarget()
const failed: string[] = []
console.log(`${'attack'.padEnd(68)} peak MB  /readyz ms`)
try {
  for (const attack of chosen) {
    const { problem, peakMegabytes, slowestReadyMs } = await undergo(target, attack)
    if (problem !== null) failed.push(attack.name)
    const figures = `${peakMegabytes.toFixed(0).padStart(7)} ${slowestReadyMs.toFixed(0).padStart(11)}`
    console.log(`${attack.name.padEnd(68)} ${figures}${problem === null ? '' : `  FAILED: ${problem}`}`)
  }
} finally {
  await target.close()
}
console.log(
  `${chosen.length - failed.length} of ${chosen.length} held (below ${bounds.peakMegabytes} MB, /readyz within ${bounds.readyMs} ms)`,
)
if (failed.length > 0 || chosen.length === 0) process.exitCode = 1
