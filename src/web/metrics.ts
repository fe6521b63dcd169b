import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { TimingObserver } from '../lib/timings.ts'
import { metricDefinitions } from './metricDefinitions.ts'
import type { MetricsFacts } from './types.ts'

export interface Metrics extends TimingObserver {
  readonly registry: Registry
}

/**
 * The Prometheus metrics. `collect` is called once a scrape. When it throws, every metric that rests on it vanishes
 * from the answer and `spanwatch_collect_ok` is 0: old numbers would look like new ones.
 */
export function createRegistry(deps: { collect(): MetricsFacts }): Metrics {
  const registry = new CollectingRegistry()
  const make = { gauge: Gauge, counter: Counter }
  const metrics = metricDefinitions.map((definition) => {
    const { type, name, help, labels } = definition
    const metric = new make[type]({ name, help, labelNames: [...labels], registers: [registry] })
    return { metric, definition }
  })
  const ok = new Gauge({
    name: 'spanwatch_collect_ok',
    help: '1 when the facts behind this could be read.',
    registers: [registry],
  })
  registry.beforeScrape = () => {
    const facts = collectSafely(deps)
    ok.set(facts === null ? 0 : 1)
    for (const { metric, definition } of metrics) {
      metric.reset()
      // A reset leaves a 0 where there are no labels, and 0 would be a claim.
      if (definition.labels.length === 0) metric.remove()
      const samples = facts === null ? [] : definition.read(facts)
      for (const [labels, value] of samples) metric.inc({ ...labels }, value)
    }
  }
  const rules = new Histogram({
    name: 'spanwatch_rule_duration_seconds',
    help: 'Time to evaluate one rule once: a condition, or an event for all transfers of one commit.',
    labelNames: ['rule'],
    buckets: [0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2],
    registers: [registry],
  })
  const commits = new Histogram({
    name: 'spanwatch_state_commit_seconds',
    help: 'Time of one durable commit.',
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  return {
    registry,
    rule: (name, seconds) => rules.observe({ rule: name }, seconds),
    commit: (seconds) => commits.observe(seconds),
  }
}

/** Its own 10 ms wake the process a hundred times a second: half a per cent of a core. */
const lagPrecisionMs = 60_000
/** What it says of the loop is made of that: ours says it, `spanwatch_event_loop_lag_seconds`. */
const ofLoop = /^nodejs_eventloop_lag/

/** What observers count of the process: they run once, whatever number of registries shows it. */
let ofProcess: Registry | null = null

/** Adds memory, CPU and garbage collection of the process, under their usual names. */
export function addProcessMetrics(registry: Registry): void {
  if (ofProcess === null) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: lagPrecisionMs })
  }
  for (const { name } of ofProcess.getMetricsAsArray()) {
    const metric = ofProcess.getSingleMetric(name)
    if (metric !== undefined && !ofLoop.test(name)) registry.registerMetric(metric)
  }
}

/** Reads the facts once a scrape; prom-client's own hook is one a metric. */
class CollectingRegistry extends Registry {
  beforeScrape: () => void = () => {}

  override metrics(): Promise<string> {
    this.beforeScrape()
    return super.metrics()
  }
}

function collectSafely(deps: { collect(): MetricsFacts }): MetricsFacts | null {
  try {
    return deps.collect()
  } catch {
    return null
  }
}
