import { type Kept, type KeptGround, notKeptYet, type OpenKept } from '../../kernel/kept.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { instant } from '../../store/table.ts'
import { type CoursePoint, courseSteps, listCourse, spareOf } from './owed/courseStore.ts'
import { toHoldings } from './facts.ts'
import type { EscrowHolding, EscrowPart } from './holding.ts'
import { readMainHeightAt } from './owed/owedLegs.ts'
import { measuredBy } from './owed/owedStore.ts'
import { openEscrowWatch } from './watched/watch.ts'

/** The judgement of a step that had the least to spare stands for all of it: where it is coarse, a short lack seems long. */
export const escrowKept: Kept<EscrowPart> = {
  kinds: ['escrow.shortfall'],
  docs: 'the least that was to spare: of each minute for 3 hours, of each quarter of an hour for 2 days, of each six hours for 92 days',
  open: openCourse,
}

const finestFirst = ['minute', 'quarter', 'sixHours'] as const

type Judged = NonNullable<EscrowHolding['judged']>

function openCourse({ bridge, db, learned }: KeptGround): OpenKept<EscrowPart> {
  const watch = openEscrowWatch({ db, learned, config: { bridge } })
  const courses = toHoldings({ db, watch }).map((holding) => {
    const { token } = holding
    const steps = finestFirst.map((name) => {
      const points = listCourse(db, token, name, 0)
      const oldest = points[0]?.at ?? Infinity
      return { stepMs: courseSteps[name].stepMs, oldest, points: new Map(points.map((one) => [one.at, one])) }
    })
    const heights = new Map<CoursePoint, number>()
    const heightOf = (point: CoursePoint) => {
      const known = heights.get(point) ?? readMainHeightAt(db, token, point.at)
      heights.set(point, known)
      return known
    }
    const judgedAt = (now: UnixMs): Judged | null => {
      const point = pointAt(steps, now)
      if (point === null) return null
      const { holdings, owed, openOut } = point
      // The block is of interest where something lacks; to look for it takes long.
      const height = spareOf(point) < 0n ? heightOf(point) : 0
      return { holdings, owed, openOut, height, at: now }
    }
    return { holding, judgedAt }
  })
  const oldest = instant.orNull().get(db, 'SELECT min(at) FROM escrow_course')
  // A step may have begun before counting did.
  const started = instant.orNull().get(db, 'SELECT min(start_time) FROM escrow_tokens') ?? 0
  return {
    everyMs: courseSteps.minute.stepMs,
    since: () => (oldest === null ? notKeptYet : Math.max(oldest, started)),
    facts: (now) => ({
      supplies: [],
      escrow: {
        moves: [],
        sums: [],
        unjudged: [],
        headroom: [],
        holdings: courses.map(({ holding, judgedAt }) => {
          const judged = judgedAt(now)
          const holdings = measuredBy(holding, judged?.holdings ?? null)
          return { ...holding, judged, holdings, holdingsAt: judged && now, accounts: null }
        }),
      },
    }),
  }
}

interface Steps {
  readonly stepMs: number
  readonly oldest: UnixMs
  readonly points: ReadonlyMap<UnixMs, CoursePoint>
}

/**
 * By the finest steps that reach so far back. One of them without a judgement is not filled by a coarser one, and a
 * coarser one whose worst is that of finer ones after this moment says nothing of it.
 */
function pointAt(steps: readonly Steps[], now: UnixMs): CoursePoint | null {
  const place = steps.findIndex(({ oldest }) => oldest <= now)
  const chosen = steps[place]
  const point = chosen?.points.get(Math.floor(now / chosen.stepMs) * chosen.stepMs)
  if (chosen === undefined || point === undefined) return null
  const isOfFiner = steps
    .slice(0, place)
    .some(({ points }) =>
      [...points.values()].some(
        (one) => one.at < point.at + chosen.stepMs && one.at >= point.at && spareOf(one) <= spareOf(point),
      ),
    )
  return isOfFiner ? null : point
}
