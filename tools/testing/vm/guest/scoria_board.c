// SPDX-License-Identifier: GPL-2.0-only
/*
 * Provider of the NPU's clocks, resets and power domains on the test board, in
 * place of the RK3588's CRU, SCMI and PMU, which QEMU does not have; and
 * /dev/scoria-board, which maps the debug page into tests. The parameter "refuse"
 * makes a provider give an error to who asks for something: "clocks -517".
 */
#include <linux/clk-provider.h>
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm_clock.h>
#include <linux/pm_domain.h>
#include <linux/reset-controller.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "board_regs.h"

struct board;

struct board_clock {
	struct clk_hw hw;
	struct board *board;
	unsigned int bit;
};

struct board_domain {
	struct generic_pm_domain genpd;
	struct board *board;
	unsigned int bit;
};

struct board {
	void __iomem *control;
	phys_addr_t debug;
	spinlock_t lock;	/* read-modify-write of the control registers */
	struct board_clock clocks[BOARD_N_CLOCKS];
	struct board_domain domains[BOARD_N_CORES];
	struct generic_pm_domain *genpds[BOARD_N_CORES];
	struct genpd_onecell_data onecell;
	struct reset_controller_dev resets;
	struct miscdevice misc;
	struct clk_hw_onecell_data *clk_data;
};

static struct {
	char what[16];
	int error;
} refused;

static int refuse_set(const char *text, const struct kernel_param *param)
{
	refused.what[0] = '\0';
	refused.error = 0;
	return sscanf(text, "%15s %d", refused.what, &refused.error) == 1 ? -EINVAL : 0;
}

static const struct kernel_param_ops refuse_ops = { .set = refuse_set };
module_param_cb(refuse, &refuse_ops, NULL, 0200);
MODULE_PARM_DESC(refuse, "\"clocks\" or \"resets\" and the error to give for them");

static int refusal(const char *what)
{
	return strcmp(refused.what, what) ? 0 : refused.error;
}

static void board_update(struct board *board, u32 offset, unsigned int bit, bool set)
{
	unsigned long flags;
	u32 value;

	spin_lock_irqsave(&board->lock, flags);
	value = readl(board->control + offset);
	if (set)
		value |= BIT(bit);
	else
		value &= ~BIT(bit);
	writel(value, board->control + offset);
	spin_unlock_irqrestore(&board->lock, flags);
}

static int clock_enable(struct clk_hw *hw)
{
	struct board_clock *clock = container_of(hw, struct board_clock, hw);

	board_update(clock->board, BOARD_CLOCK, clock->bit, true);
	return 0;
}

static void clock_disable(struct clk_hw *hw)
{
	struct board_clock *clock = container_of(hw, struct board_clock, hw);

	board_update(clock->board, BOARD_CLOCK, clock->bit, false);
}

static int clock_is_enabled(struct clk_hw *hw)
{
	struct board_clock *clock = container_of(hw, struct board_clock, hw);

	return !!(readl(clock->board->control + BOARD_CLOCK) & BIT(clock->bit));
}

static const struct clk_ops gate_ops = {
	.enable = clock_enable,
	.disable = clock_disable,
	.is_enabled = clock_is_enabled,
};

static unsigned long npu_recalc_rate(struct clk_hw *hw, unsigned long parent_rate)
{
	struct board_clock *clock = container_of(hw, struct board_clock, hw);

	return readl(clock->board->control + BOARD_RATE);
}

/* What the firmware of an RK3588 offers (programming-model I3). */
static const unsigned long npu_rates[] = {
	200000000, 300000000, 400000000, 500000000, 600000000,
	700000000, 800000000, 900000000, 1000000000,
};

static int npu_determine_rate(struct clk_hw *hw, struct clk_rate_request *req)
{
	unsigned int i = 0;

	while (i + 1 < ARRAY_SIZE(npu_rates) && npu_rates[i + 1] <= req->rate)
		i++;
	req->rate = npu_rates[i];
	return 0;
}

static int npu_set_rate(struct clk_hw *hw, unsigned long rate, unsigned long parent_rate)
{
	struct board_clock *clock = container_of(hw, struct board_clock, hw);

	writel(rate, clock->board->control + BOARD_RATE);
	return 0;
}

static const struct clk_ops npu_ops = {
	.enable = clock_enable,
	.disable = clock_disable,
	.is_enabled = clock_is_enabled,
	.recalc_rate = npu_recalc_rate,
	.determine_rate = npu_determine_rate,
	.set_rate = npu_set_rate,
};

static const char * const clock_names[BOARD_N_CLOCKS] = {
	"aclk_npu0", "aclk_npu1", "aclk_npu2", "hclk_npu0", "hclk_npu1", "hclk_npu2",
	"pclk_npu_root", "scmi_clk_npu",
};

static struct clk_hw *clock_get(struct of_phandle_args *args, void *data)
{
	int ret = refusal("clocks");

	return ret ? ERR_PTR(ret) : of_clk_hw_onecell_get(args, data);
}

static int board_add_clocks(struct device *dev, struct board *board)
{
	unsigned int i;
	int ret;

	board->clk_data = devm_kzalloc(dev, struct_size(board->clk_data, hws, BOARD_N_CLOCKS),
				       GFP_KERNEL);
	if (!board->clk_data)
		return -ENOMEM;
	board->clk_data->num = BOARD_N_CLOCKS;
	for (i = 0; i < BOARD_N_CLOCKS; i++) {
		const struct clk_init_data init = {
			.name = clock_names[i],
			.ops = i == BOARD_CLOCK_NPU ? &npu_ops : &gate_ops,
		};

		board->clocks[i].board = board;
		board->clocks[i].bit = i;
		board->clocks[i].hw.init = &init;
		ret = devm_clk_hw_register(dev, &board->clocks[i].hw);
		if (ret)
			return ret;
		board->clk_data->hws[i] = &board->clocks[i].hw;
	}
	return devm_of_clk_add_hw_provider(dev, clock_get, board->clk_data);
}

static int reset_assert(struct reset_controller_dev *resets, unsigned long id)
{
	board_update(container_of(resets, struct board, resets), BOARD_RESET, id, true);
	return 0;
}

static int reset_deassert(struct reset_controller_dev *resets, unsigned long id)
{
	board_update(container_of(resets, struct board, resets), BOARD_RESET, id, false);
	return 0;
}

static int reset_status(struct reset_controller_dev *resets, unsigned long id)
{
	struct board *board = container_of(resets, struct board, resets);

	return !!(readl(board->control + BOARD_RESET) & BIT(id));
}

static const struct reset_control_ops reset_ops = {
	.assert = reset_assert,
	.deassert = reset_deassert,
	.status = reset_status,
};

static int reset_xlate(struct reset_controller_dev *resets, const struct of_phandle_args *args)
{
	int ret = refusal("resets");

	return ret ? ret : args->args[0];
}

static int board_add_resets(struct device *dev, struct board *board)
{
	board->resets.owner = THIS_MODULE;
	board->resets.ops = &reset_ops;
	board->resets.of_node = dev->of_node;
	board->resets.of_reset_n_cells = 1;
	board->resets.of_xlate = reset_xlate;
	board->resets.nr_resets = BOARD_N_RESETS;
	return devm_reset_controller_register(dev, &board->resets);
}

static int domain_on(struct generic_pm_domain *genpd)
{
	struct board_domain *domain = container_of(genpd, struct board_domain, genpd);

	board_update(domain->board, BOARD_POWER, domain->bit, true);
	return 0;
}

static int domain_off(struct generic_pm_domain *genpd)
{
	struct board_domain *domain = container_of(genpd, struct board_domain, genpd);

	board_update(domain->board, BOARD_POWER, domain->bit, false);
	return 0;
}

static bool device_clocks;
module_param(device_clocks, bool, 0400);
MODULE_PARM_DESC(device_clocks, "domains turn on the clocks of their devices, as the RK3588's do");

static int domain_attach(struct generic_pm_domain *genpd, struct device *dev)
{
	int ret = pm_clk_create(dev);

	if (ret)
		return ret;
	ret = of_pm_clk_add_clks(dev);
	if (ret < 0)
		pm_clk_destroy(dev);
	return min(ret, 0);
}

static void domain_detach(struct generic_pm_domain *genpd, struct device *dev)
{
	pm_clk_destroy(dev);
}

static const char * const domain_names[BOARD_N_CORES] = { "nputop", "npu1", "npu2" };

/*
 * NPU1 and NPU2 lie in NPUTOP, as mainline's device tree has them. Unlike the
 * RK3588's, these domains leave clocks to the driver, so that one that forgets a
 * clock is found; device_clocks is for the in-tree driver, which does.
 */
static int board_add_domains(struct device *dev, struct board *board)
{
	unsigned int i;
	int ret;

	for (i = 0; i < BOARD_N_CORES; i++) {
		struct generic_pm_domain *genpd = &board->domains[i].genpd;

		board->domains[i].board = board;
		board->domains[i].bit = i;
		genpd->name = domain_names[i];
		genpd->power_on = domain_on;
		genpd->power_off = domain_off;
		if (device_clocks) {
			genpd->attach_dev = domain_attach;
			genpd->detach_dev = domain_detach;
			genpd->flags = GENPD_FLAG_PM_CLK;
		}
		ret = pm_genpd_init(genpd, NULL, true);
		if (ret)
			return ret;
		board->genpds[i] = genpd;
		if (i)
			pm_genpd_add_subdomain(board->genpds[0], genpd);
	}
	board->onecell.domains = board->genpds;
	board->onecell.num_domains = BOARD_N_CORES;
	return of_genpd_add_provider_onecell(dev->of_node, &board->onecell);
}

static int debug_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct board *board = container_of(file->private_data, struct board, misc);

	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	return io_remap_pfn_range(vma, vma->vm_start, PHYS_PFN(board->debug), PAGE_SIZE,
				  vma->vm_page_prot);
}

static const struct file_operations debug_fops = {
	.owner = THIS_MODULE,
	.mmap = debug_mmap,
};

static int board_add_debug(struct device *dev, struct board *board)
{
	board->misc.minor = MISC_DYNAMIC_MINOR;
	board->misc.name = "scoria-board";
	board->misc.fops = &debug_fops;
	board->misc.mode = 0666;
	return misc_register(&board->misc);
}

static int board_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct board *board = devm_kzalloc(dev, sizeof(*board), GFP_KERNEL);
	struct resource *debug = platform_get_resource_byname(pdev, IORESOURCE_MEM, "debug");
	int ret;

	if (!board)
		return -ENOMEM;
	if (!debug)
		return -ENODEV;
	board->debug = debug->start;
	board->control = devm_platform_ioremap_resource_byname(pdev, "control");
	if (IS_ERR(board->control))
		return PTR_ERR(board->control);
	spin_lock_init(&board->lock);
	ret = board_add_clocks(dev, board);
	if (!ret)
		ret = board_add_resets(dev, board);
	if (!ret)
		ret = board_add_debug(dev, board);
	if (!ret)
		ret = board_add_domains(dev, board);
	return ret;
}

static const struct of_device_id board_match[] = {
	{ .compatible = "scoria,board" },
	{ }
};
MODULE_DEVICE_TABLE(of, board_match);

/* Power domains cannot be taken away from their devices: the board stays. */
static struct platform_driver board_driver = {
	.probe = board_probe,
	.driver = {
		.name = "scoria_board",
		.of_match_table = board_match,
		.suppress_bind_attrs = true,
	},
};

static int __init board_init(void)
{
	return platform_driver_register(&board_driver);
}
module_init(board_init);

MODULE_DESCRIPTION("Clocks, resets and power domains of scoria's test board");
MODULE_LICENSE("GPL");
