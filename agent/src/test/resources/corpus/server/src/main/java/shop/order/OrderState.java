package shop.order;

public enum OrderState {
    OPEN,
    PAID,
    CANCELLED,
    SHIPPED
}
