// The parts of ECharts that server/static/charts.js draws with; `make echarts` bundles them.
import { init, use } from "echarts/core";
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";

use([
  BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart,
  GridComponent, LegendComponent, TooltipComponent,
  SVGRenderer,
]);
globalThis.echarts = { init };
