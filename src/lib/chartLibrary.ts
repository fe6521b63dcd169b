// What is drawn with, and no more: the build takes in what stands here.
export { BarChart, LineChart } from 'echarts/charts'
export { GridComponent, LegendComponent } from 'echarts/components'
export { init, use } from 'echarts/core'
export { SVGRenderer } from 'echarts/renderers'
