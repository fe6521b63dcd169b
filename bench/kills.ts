// npm run bench:kills [kills]: a scripted day in processes that are killed at random times, beside the same day without.
import { liveDay } from '../test/integration/alerts/dayOfKills.ts'

const wanted = Number(process.argv[2] ?? 200)
const steps = Math.max(wanted * 4, 40)
const whole = await liveDay({ steps, kills: 0, random: Math.random })
const torn = await liveDay({ steps, kills: wanted, random: Math.random })
const lost = [...whole.transitions].filter((one) => !torn.transitions.has(one))
const invented = [...torn.transitions].filter((one) => !whole.transitions.has(one))

console.log(
  `kill -9:                ${torn.kills} of ${wanted} wanted, in ${(torn.tookMs / 1_000).toFixed(0)} s`,
)
console.log(`transitions:            ${whole.transitions.size}`)
console.log(`lost:                   ${lost.length} (target 0)`)
console.log(`not in the whole day:   ${invented.length} (target 0)`)
console.log(`messages sent twice:    ${torn.repeated} (target at most ${torn.kills * 2})`)
if (lost.length + invented.length > 0 || torn.repeated > torn.kills * 2) process.exitCode = 1
