/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_IRQ_H
#define SCORIA_IRQ_H

#include <linux/interrupt.h>

struct device;
struct iommu_domain;

irqreturn_t scoria_irq_handler(int irq, void *data);

/* From the interrupt handler of an IOMMU. @data is the address space. */
int scoria_irq_iommu_fault(struct iommu_domain *domain, struct device *iommu,
			   unsigned long iova, int flags, void *data);

#endif
